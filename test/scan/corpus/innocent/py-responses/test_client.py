import responses
@responses.activate
def test_paused():
    responses.add(responses.GET, "https://code.example.com/api/v4/runners?status=paused", json=[{"status": "paused"}])
    assert list_runners() == []
