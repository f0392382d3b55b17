Gem::Specification.new do |gem|
  gem.add_development_dependency "omniauth-kerberos", ">= 0.3"
end
