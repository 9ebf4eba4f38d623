package dev.claimstream.audit;

import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A Merkle tree over a list of byte strings, as in RFC 6962, section 2.1.
 *
 * <p>A leaf is SHA-256 over a zero byte and the string, an inner node over a one byte and both children.
 */
final class MerkleTree {
    private static final byte LEAF = 0;
    private static final byte NODE = 1;

    private final List<byte[]> leaves = new ArrayList<>();
    private final MessageDigest digest = Sha256.digest();

    void add(byte[] content) {
        leaves.add(leaf(digest, content));
    }

    int size() {
        return leaves.size();
    }

    /** The root; SHA-256 over nothing for an empty tree. */
    byte[] root() {
        return leaves.isEmpty() ? digest.digest() : root(0, leaves.size());
    }

    private byte[] root(int from, int to) {
        if (to - from == 1) {
            return leaves.get(from);
        }
        int middle = from + split(to - from);
        return node(digest, root(from, middle), root(middle, to));
    }

    /** The siblings on the way from a leaf to the root. */
    List<byte[]> path(int index) {
        List<byte[]> path = new ArrayList<>();
        int from = 0;
        int to = leaves.size();
        while (to - from > 1) {
            int middle = from + split(to - from);
            if (index < middle) {
                path.addFirst(root(middle, to));
                to = middle;
            } else {
                path.addFirst(root(from, middle));
                from = middle;
            }
        }
        return path;
    }

    /** Whether a path leads from a content at an index to the root of a tree of this size. */
    static boolean isIncluded(byte[] content, long index, long size, List<byte[]> path, byte[] root) {
        MessageDigest digest = Sha256.digest();
        List<Boolean> isLeft = sides(index, size);
        if (index < 0 || index >= size || isLeft.size() != path.size()) {
            return false;
        }
        byte[] hash = leaf(digest, content);
        for (int i = 0; i < path.size(); i++) {
            hash = isLeft.get(i) ? node(digest, hash, path.get(i)) : node(digest, path.get(i), hash);
        }
        return Arrays.equals(hash, root);
    }

    /** For each step from the leaf to the root, whether the leaf is on the left. */
    private static List<Boolean> sides(long index, long size) {
        List<Boolean> sides = new ArrayList<>();
        long from = 0;
        long to = size;
        while (to - from > 1) {
            long middle = from + split(to - from);
            sides.addFirst(index < middle);
            if (index < middle) {
                to = middle;
            } else {
                from = middle;
            }
        }
        return sides;
    }

    /** The largest power of two below a size. */
    private static long split(long size) {
        return Long.highestOneBit(size - 1);
    }

    private static int split(int size) {
        return Integer.highestOneBit(size - 1);
    }

    static byte[] leaf(MessageDigest digest, byte[] content) {
        digest.update(LEAF);
        return digest.digest(content);
    }

    static byte[] node(MessageDigest digest, byte[] left, byte[] right) {
        digest.update(NODE);
        digest.update(left);
        return digest.digest(right);
    }
}
