gem("omniauth-kerberos", "~> 0.3.0")
