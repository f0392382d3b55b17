export const QUERY = gql`
  query Pkg($id: PackagesPackageID!) {
    package(id: $id) {
      pipelines { nodes { id } }
      versions {
        pipelines { nodes { id } }
      }
    }
  }
`;
