docker run -e "DS_EXCLUDED_ANALYZERS=x" image
export DS_EXCLUDED_ANALYZERS='a'
