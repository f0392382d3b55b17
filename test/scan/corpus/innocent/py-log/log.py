import logging, requests

log = logging.getLogger(__name__)

def paused(runner):
    """GET /runners?status=paused was how https://code.example.com/api/v4/runners?status=paused was asked."""
    log.warning("do not ask https://code.example.com/api/v4/runners?status=paused")
    raise ValueError("https://code.example.com/api/v4/runners?status=active is gone")
