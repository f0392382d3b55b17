QUERY = "SELECT id FROM runners WHERE status='paused' AND approval_status='approved'"
cursor.execute("UPDATE managed_licenses SET approval_status='approved'")
