Gem::Specification.new do |s|
  s.add_dependency "omniauth-kerberos", "~> 0.3"
  s.add_runtime_dependency('omniauth-kerberos')
end
