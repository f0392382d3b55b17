const query = gql`
  query($p: ID!) { project(fullPath: $p) { packages { nodes {
    pipelines { nodes { id } }
  } } } }`;
