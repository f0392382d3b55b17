QUERY = """
query {
  runners(status: NOT_CONNECTED, first: 10) { nodes { id status } }
  idle: runners(status: PAUSED) { nodes { id } }
}
"""
