package dev.claimstream.audit;

/** Opens the archive stores of one scheme. Implementations are found by {@link java.util.ServiceLoader}. */
public interface ArchiveStoreProvider {
    /** The scheme of its locations, such as {@code s3}. */
    String scheme();

    /**
     * Opens a store.
     *
     * @throws AuditException if the location is invalid
     */
    ArchiveStore open(String location);
}
