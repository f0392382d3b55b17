QUERY = <<~GRAPHQL.strip
  query { runners(status: PAUSED) { nodes { id } } }
GRAPHQL
x = foo(<<-A, 1)
  {"approval_status": "approved"}
A
RestClient.post("https://code.example.com/api/v4/projects/1/managed_licenses", <<~JSON, headers)
  {"name": "MIT", "approval_status": "approved"}
JSON
puts 'x' << 'y'
