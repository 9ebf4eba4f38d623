package dev.claimstream.audit;

import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

/**
 * The root of a {@link MerkleTree}, computed while its leaves are added.
 *
 * <p>It holds the root of each complete subtree, so one hash per binary digit of the number of leaves.
 */
final class MerkleRoot {
    /** Roots of complete subtrees; the last one, which is the smallest, is the first element. */
    private final Deque<byte[]> subtrees = new ArrayDeque<>();

    private final MessageDigest digest = Sha256.digest();
    private long size;

    void add(byte[] content) {
        byte[] root = MerkleTree.leaf(digest, content);
        for (long complete = size; complete % 2 == 1; complete /= 2) {
            root = MerkleTree.node(digest, subtrees.pop(), root);
        }
        subtrees.push(root);
        size++;
    }

    /** Number of leaves. */
    long size() {
        return size;
    }

    /** The root in hexadecimal digits; SHA-256 over nothing for an empty tree. */
    String hex() {
        if (subtrees.isEmpty()) {
            return Sha256.hex(digest.digest());
        }
        Iterator<byte[]> fromRight = subtrees.iterator();
        byte[] root = fromRight.next();
        while (fromRight.hasNext()) {
            root = MerkleTree.node(digest, fromRight.next(), root);
        }
        return Sha256.hex(root);
    }
}
