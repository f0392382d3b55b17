const q = gql`
  ${FRAGMENT}
  query Q($id: ID!) { group(fullPath: $id) { packages(first: 5) { edges { node { ...F pipelines { nodes { id } } } } } } }
`;
const f = gql`fragment F on PackageDetailsType { pipelines { nodes { id } } }`;
const r = gql`query { runners(status: ${status}, first: 1) { nodes { id } } project { mergeRequest { defaultMergeCommitMessageWithDescription } } }`;
