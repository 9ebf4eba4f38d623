package dev.claimstream.kafka.security;

import java.nio.file.Path;
import java.util.Optional;

/**
 * PEM files of a client.
 *
 * @param ca certificates of the authorities that sign server certificates; empty: those of the JVM
 * @param identity certificate and key of the client; empty: the client does not authenticate by TLS
 */
public record TlsFiles(Optional<Path> ca, Optional<ClientIdentity> identity) {
    /** No files. */
    public static final TlsFiles NONE = new TlsFiles(Optional.empty(), Optional.empty());

    /**
     * Certificate and key of a client.
     *
     * @param certificate certificate chain, the client's certificate first
     * @param key private key in PKCS#8 form, not encrypted
     */
    public record ClientIdentity(Path certificate, Path key) {}
}
