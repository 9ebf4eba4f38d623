package dev.claimstream.manifests;

import dev.claimstream.dra.Kind;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.UUID;

/** Derives names and uids from the objects' names, where an API server would generate random ones. */
public final class DerivedNames {
    /** The alphabet of {@code k8s.io/apimachinery/pkg/util/rand}: no vowels and no similar characters. */
    private static final String LETTERS = "bcdfghjklmnpqrstvwxz2456789";

    private static final int SUFFIX_LENGTH = 5;
    private static final int HASH_LENGTH = 10;
    private static final int NAME_LENGTH_MAX = 63;
    private static final int CLAIM_BASE_MAX = 57;
    private static final UUID SPACE = UUID.fromString("8a5e1c0e-8f5b-5d0e-9d53-6f2a1b7c4e90");

    private DerivedNames() {}

    /** Returns a UUID of version 5 (RFC 9562): the SHA-1 of kind, namespace and name in a fixed UUID namespace. */
    static String uid(Kind kind, String namespace, String name) {
        return uid(kind.apiName(), namespace, name);
    }

    /** Returns the UUID of an object of any kind. */
    static String uid(String kind, String namespace, String name) {
        byte[] digest = sha1(kind + "/" + namespace + "/" + name);
        ByteBuffer bytes = ByteBuffer.wrap(digest);
        long high = (bytes.getLong() & ~0xF000L) | 0x5000L;
        long low = (bytes.getLong() & 0x3FFF_FFFF_FFFF_FFFFL) | 0x8000_0000_0000_0000L;
        return new UUID(high, low).toString();
    }

    /** Returns a name for an object with {@code generateName}; each attempt gives another name. */
    public static String generated(Kind kind, String namespace, String base, int attempt) {
        return generated(kind.apiName(), namespace, base, attempt);
    }

    /** Returns a name for an object of any kind. */
    static String generated(String kind, String namespace, String base, int attempt) {
        int room = NAME_LENGTH_MAX - SUFFIX_LENGTH;
        String kept = base.length() > room ? base.substring(0, room) : base;
        byte[] digest = sha1(kind + "/" + namespace + "/" + base + "/" + attempt);
        StringBuilder name = new StringBuilder(kept);
        for (int i = 0; i < SUFFIX_LENGTH; i++) {
            name.append(LETTERS.charAt((digest[i] & 0xFF) % LETTERS.length()));
        }
        return name.toString();
    }

    /** Returns the prefix of the name of a pod's generated claim. If it is too long, both parts are cut in proportion. */
    public static String claimBase(String pod, String entry) {
        String base = pod + "-" + entry + "-";
        if (base.length() <= CLAIM_BASE_MAX) {
            return base;
        }
        return pod.substring(0, pod.length() * CLAIM_BASE_MAX / base.length())
                + "-"
                + entry.substring(0, entry.length() * CLAIM_BASE_MAX / base.length());
    }

    /** Returns the text of a digest in the alphabet of names, as Kubernetes writes the hash of a pod template. */
    static String hash(long digest) {
        StringBuilder text = new StringBuilder();
        for (long rest = digest >>> 1; text.length() < HASH_LENGTH; rest /= LETTERS.length()) {
            text.append(LETTERS.charAt((int) (rest % LETTERS.length())));
        }
        return text.toString();
    }

    /** Returns the SHA-1 of a text in hexadecimal digits, as JobSet derives the key of a job. */
    static String sha1Hex(String text) {
        return HexFormat.of().formatHex(algorithm().digest(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static byte[] sha1(String text) {
        MessageDigest digest = algorithm();
        digest.update(ByteBuffer.allocate(16)
                .putLong(SPACE.getMostSignificantBits())
                .putLong(SPACE.getLeastSignificantBits())
                .flip());
        return digest.digest(text.getBytes(StandardCharsets.UTF_8));
    }

    private static MessageDigest algorithm() {
        try {
            return MessageDigest.getInstance("SHA-1");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-1", e);
        }
    }
}
