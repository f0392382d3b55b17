HELP = """Use `query { runners(status: PAUSED) { nodes { id } } }` no more."""
log.info("query { runners(status: PAUSED) { nodes { id } } }")
def f():
    """query { runners(status: PAUSED) { nodes { id } } }"""
