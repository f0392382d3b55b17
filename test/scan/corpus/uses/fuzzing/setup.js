import { gql } from "graphql-tag";

// apiFuzzingCiConfigurationCreate was the old way
export const create = gql`
  mutation Create($path: ID!) {
    apiFuzzingCiConfigurationCreate(input: { projectPath: $path, apiSpecificationFile: "${file}" }) {
      errors
    }
  }
`;
