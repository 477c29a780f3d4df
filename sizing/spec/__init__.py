"""The server around the GPUs: host, storage, platform, power, site, software, money, purchase."""
