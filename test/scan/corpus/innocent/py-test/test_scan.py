def test_old_status(client):
    assert describe("approval_status", "approved") == "x"
    raise AssertionError("managed_licenses with approval_status=approved")
