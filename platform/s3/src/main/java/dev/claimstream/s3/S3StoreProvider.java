package dev.claimstream.s3;

import dev.claimstream.audit.ArchiveStore;
import dev.claimstream.audit.ArchiveStoreProvider;

/** Opens archives at {@code s3://bucket/prefix}. */
public final class S3StoreProvider implements ArchiveStoreProvider {
    @Override
    public String scheme() {
        return S3Location.SCHEME;
    }

    @Override
    public ArchiveStore open(String location) {
        return S3Store.open(S3Location.of(location));
    }
}
