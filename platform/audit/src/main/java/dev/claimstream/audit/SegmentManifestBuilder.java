package dev.claimstream.audit;

import java.time.Instant;
import java.util.SortedMap;
import java.util.TreeMap;

/** Sets the fields of a manifest by name. Not thread-safe. */
final class SegmentManifestBuilder {
    private final String topic;
    private final int partition;
    private long from;
    private long to;
    private long firstOffset;
    private long lastOffset;
    private Instant firstTime = Instant.EPOCH;
    private Instant lastTime = Instant.EPOCH;
    private long count;
    private String file = "";
    private long bytes;
    private String sha256 = "";
    private String headBefore = "";
    private String headAfter = "";
    private String engine = "";
    private String release = "";
    private String previous = "";
    private String original = "";
    private SortedMap<Integer, String> schemas = new TreeMap<>();

    SegmentManifestBuilder(String topic, int partition) {
        this.topic = topic;
        this.partition = partition;
    }

    SegmentManifestBuilder from(long value) {
        from = value;
        return this;
    }

    SegmentManifestBuilder to(long value) {
        to = value;
        return this;
    }

    SegmentManifestBuilder firstOffset(long value) {
        firstOffset = value;
        return this;
    }

    SegmentManifestBuilder lastOffset(long value) {
        lastOffset = value;
        return this;
    }

    SegmentManifestBuilder firstTime(Instant value) {
        firstTime = value;
        return this;
    }

    SegmentManifestBuilder lastTime(Instant value) {
        lastTime = value;
        return this;
    }

    SegmentManifestBuilder count(long value) {
        count = value;
        return this;
    }

    SegmentManifestBuilder file(String value) {
        file = value;
        return this;
    }

    SegmentManifestBuilder bytes(long value) {
        bytes = value;
        return this;
    }

    SegmentManifestBuilder sha256(String value) {
        sha256 = value;
        return this;
    }

    SegmentManifestBuilder headBefore(String value) {
        headBefore = value;
        return this;
    }

    SegmentManifestBuilder headAfter(String value) {
        headAfter = value;
        return this;
    }

    SegmentManifestBuilder engine(String value) {
        engine = value;
        return this;
    }

    SegmentManifestBuilder release(String value) {
        release = value;
        return this;
    }

    SegmentManifestBuilder previous(String value) {
        previous = value;
        return this;
    }

    SegmentManifestBuilder original(String value) {
        original = value;
        return this;
    }

    SegmentManifestBuilder schemas(SortedMap<Integer, String> value) {
        schemas = value;
        return this;
    }

    /** Creates the manifest. */
    SegmentManifest build() {
        return new SegmentManifest(
                topic,
                partition,
                from,
                to,
                firstOffset,
                lastOffset,
                firstTime,
                lastTime,
                count,
                file,
                bytes,
                sha256,
                headBefore,
                headAfter,
                engine,
                release,
                previous,
                original,
                schemas);
    }
}
