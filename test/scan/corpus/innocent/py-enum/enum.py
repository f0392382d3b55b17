class Status(str, Enum):
    PAUSED = "paused"
    ACTIVE = "active"
PATH = "/api/v4/runners"
def label(status):
    return {"paused": "P", "active": "A"}[status]
