Gem::Specification.new do |spec|
  spec.name = "omniauth-kerberos-ng"
  spec.summary = "replaces omniauth-kerberos"
  spec.add_dependency "omniauth", "~> 2.0"
end
