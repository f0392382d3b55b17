docker run -e "DS_EXCLUDED_ANALYZERS=bundler-audit,x" image
export DS_EXCLUDED_ANALYZERS='a, bundler-audit'
