def test_it(requests_mock):
    payload = {"status": "paused"}
    assert payload["status"] == "paused"
    print("GET https://code.example.com/api/v4/runners?status=paused")
