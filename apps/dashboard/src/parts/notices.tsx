/** What the API refused, in its own words, each once. */
export const Notices = ({ of: failures }: { readonly of: readonly string[] }) => (
  <>
    {[...new Set(failures)].map((failure) => (
      <p class="notice" key={failure} role="alert">
        {failure}
      </p>
    ))}
  </>
);
