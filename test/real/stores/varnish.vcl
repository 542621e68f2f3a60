vcl 4.1;
import xkey;
import std;

backend default { .host = "127.0.0.1"; .port = "ORIGIN_PORT"; }

sub vcl_recv {
  if (req.method == "PURGE") {
    set req.http.n-gone = xkey.purge(req.http.xkey-purge);
    return (synth(200, req.http.n-gone));
  }
  # Cookies and tokens do not keep requests from the cache: whether an answer is anybody's own the function says.
  if (req.method == "GET") { return (hash); }
  # Its key has no bodies, and without this line QUERY is answered with 501.
  if (req.method == "QUERY") { return (pass); }
}

sub vcl_deliver {
  unset resp.http.xkey;
  if (obj.hits > 0) { set resp.http.x-cache = "hit"; } else { set resp.http.x-cache = "miss"; }
}
