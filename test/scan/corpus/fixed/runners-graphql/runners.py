QUERY = """
query {
  runners(status: NEVER_CONTACTED, first: 10) { nodes { id status } }
  idle: runners(status: PAUSED) { nodes { id } }
}
"""
