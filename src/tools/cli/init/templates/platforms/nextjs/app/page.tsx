export default function Page() {
  return (
    <p>
      GraphQL at <a href="/api/graphql">/api/graphql</a>
    </p>
  );
}
