class Subscription(models.Model):
    STATUS = [("paused", "Paused"), ("active", "Active"), ("not_connected", "Not connected")]
    status = models.CharField(choices=STATUS, default="active")
    approval_status = models.CharField(default="approved")
