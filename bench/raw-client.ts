import { connect } from 'node:net';
import type { Socket } from 'node:net';

/** Sends POSTs over one connection, without waiting for the answers (HTTP/1.1 pipelining), with as little work as possible. */
export class RawClient {
  readonly #socket: Socket;
  #received = '';
  #onData: () => void = () => {};
  #onClose: () => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1').setNoDelay(true);
    socket.on('close', () => this.#onClose());
    socket.on('data', (text: string) => {
      this.#received += text;
      this.#onData();
    });
  }

  static async connect(port: number): Promise<RawClient> {
    const socket = connect(port, '127.0.0.1');
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return new RawClient(socket);
  }

  /** The bodies of the answers. Throws for a status other than 200. */
  post(bodies: readonly string[]): Promise<string[]> {
    const answers: string[] = [];
    const answered = new Promise<string[]>((resolve, reject) => {
      this.#onClose = () => reject(new Error('Expected answers, but the connection was closed.'));
      this.#onData = () => {
        try {
          for (let answer = this.#next(); answer !== undefined; answer = this.#next()) answers.push(answer);
        } catch (error) {
          reject(error as Error);
        }
        if (answers.length === bodies.length) resolve(answers);
      };
    });
    this.#socket.write(bodies.map((body) => `${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`).join(''));
    return answered;
  }

  /** The next response, if it is complete. */
  #next(): string | undefined {
    const end = this.#received.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(this.#received.slice(0, end + 2))?.[1]);
    if (!this.#received.startsWith('HTTP/1.1 200') || Number.isNaN(length))
      throw new Error(`Expected status 200 and a content-length, got ${this.#received.slice(0, 400)}`);
    if (this.#received.length < end + 4 + length) return undefined;
    const answer = this.#received.slice(end + 4, end + 4 + length);
    this.#received = this.#received.slice(end + 4 + length);
    return answer;
  }

  close(): void {
    this.#socket.destroy();
  }
}

const head = 'POST /graphql HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: */*\r\ncontent-type: application/json\r\nuser-agent: bench\r\n';
