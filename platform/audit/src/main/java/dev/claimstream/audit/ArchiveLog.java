package dev.claimstream.audit;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;

/** The log in an archive. A segment is read only if its file has the hash of its manifest. Not safe for several threads. */
public final class ArchiveLog implements AuditLog {
    private final SegmentFiles archive;
    private final SnapshotFiles snapshots;
    private final Map<String, List<SegmentFiles.StoredManifest>> manifests = new HashMap<>();
    private final Map<Integer, Schema> schemas = new HashMap<>();
    private final Map<String, Optional<String>> checked = new HashMap<>();

    /** Receives the problem of a segment before it is left out. */
    private final Consumer<String> damaged;

    /** Per partition, the segment in which the last reader stopped. */
    private final Map<String, SegmentReader> open = new HashMap<>();

    /**
     * Opens an archive for readers that leave out damaged and missing segments. Show {@link #problems} with their result.
     *
     * @throws AuditException if the folder does not exist or is not an archive, or a manifest cannot be read or has a newer format
     */
    public ArchiveLog(Path folder) {
        this(new FolderStore(folder));
    }

    /**
     * Opens an archive for readers that leave out damaged and missing segments. The store is closed with the log.
     *
     * @throws AuditException if the store cannot be read or is not an archive, or a manifest cannot be read or has a newer format
     */
    public ArchiveLog(ArchiveStore store) {
        this(store, _ -> {});
    }

    /**
     * Opens an archive for a follower: it fails at a damaged segment, and at one that retention deletes meanwhile.
     *
     * @throws AuditException if the store cannot be read or is not an archive, or a manifest cannot be read or has a newer format
     */
    public static ArchiveLog strict(ArchiveStore store) {
        return new ArchiveLog(store, problem -> {
            throw new AuditException(problem);
        });
    }

    private ArchiveLog(ArchiveStore store, Consumer<String> damaged) {
        this.damaged = damaged;
        archive = new SegmentFiles(store);
        snapshots = new SnapshotFiles(store);
        try {
            readManifests();
        } catch (AuditException e) {
            store.close();
            throw e;
        }
    }

    private void readManifests() {
        for (String topic : List.of(LogVerifier.INPUTS, LogVerifier.ROUTER_INPUTS, LogVerifier.LEDGER)) {
            for (int partition : archive.partitions(topic)) {
                manifests.put(key(topic, partition), archive.manifests(topic, partition));
            }
        }
        if (manifests.values().stream().allMatch(List::isEmpty)) {
            throw new AuditException(
                    "%s has no segment: name the folder of an archive, or make one with claimstream audit archive --to"
                            .formatted(archive.store().location()));
        }
        manifests.values().stream()
                .flatMap(List::stream)
                .forEach(each -> each.manifest().schemas().forEach((id, schema) -> addSchema(each.file(), id, schema)));
    }

    private void addSchema(StoredFile file, int id, String json) {
        try {
            Schema schema = new Schema.Parser().parse(json);
            Schema other = schemas.putIfAbsent(id, schema);
            if (other != null && !other.equals(schema)) {
                throw new AuditException(
                        "%s: schema id %d is another schema than in an earlier manifest: the segments are of two logs. Archive each log to a folder of its own."
                                .formatted(file, id));
            }
        } catch (AvroRuntimeException e) {
            throw new AuditException(
                    "%s: schema id %d cannot be parsed: %s. Restore the file from a copy."
                            .formatted(file, id, e.getMessage()),
                    e);
        }
    }

    private static String key(String topic, int partition) {
        return topic + '/' + partition;
    }

    private List<SegmentFiles.StoredManifest> of(String topic, int partition) {
        return manifests.getOrDefault(key(topic, partition), List.of());
    }

    /**
     * Compares all files with their manifests, and the manifests with each other. Returns one line per problem, with file, place and
     * remedy.
     */
    public List<String> problems() {
        List<String> problems = new ArrayList<>();
        manifests.keySet().stream().sorted().forEach(key -> {
            Optional<SegmentFiles.StoredManifest> before = Optional.empty();
            for (SegmentFiles.StoredManifest stored : manifests.getOrDefault(key, List.of())) {
                damage(stored).ifPresent(problems::add);
                before.flatMap(each -> discontinuity(each, stored)).ifPresent(problems::add);
                before = Optional.of(stored);
            }
        });
        for (int cell : archive.partitions(LogVerifier.INPUTS)) {
            addStateProblems(cell, problems);
        }
        problems.addAll(new TelemetryFiles(archive.store()).problems());
        problems.addAll(archive.store().replaced(SegmentFiles::isManifest));
        return problems;
    }

    private void addStateProblems(int cell, List<String> problems) {
        try {
            snapshots.of(cell).forEach(each -> each.damage().ifPresent(problems::add));
        } catch (AuditException e) { // a manifest: the segments are verified nevertheless
            problems.add(String.valueOf(e.getMessage()));
        }
    }

    private static Optional<String> discontinuity(
            SegmentFiles.StoredManifest before, SegmentFiles.StoredManifest stored) {
        SegmentManifest manifest = stored.manifest();
        long end = before.manifest().to();
        if (manifest.from() > end) {
            return Optional.of(
                    "gap: %s: offsets %d to %d of %s, partition %d, are missing. Restore the files from a copy, if one has them."
                            .formatted(
                                    stored.file(), end, manifest.from() - 1, manifest.topic(), manifest.partition()));
        }
        if (manifest.from() < end) {
            return Optional.of(
                    "overlap: %s begins at offset %d, and the segment before it ends at offset %d. Restore the folder from a copy."
                            .formatted(stored.file(), manifest.from(), end));
        }
        boolean isNamed = manifest.previous().equals(before.sha256())
                || manifest.previous().equals(before.manifest().original());
        return isNamed
                ? Optional.empty()
                : Optional.of("changed: %s: it is not the manifest that %s names. Restore both files from a copy."
                        .formatted(before.file(), stored.file()));
    }

    /** What is wrong with the file of a segment; empty if it has the hash of its manifest. The file is read once. */
    private Optional<String> damage(SegmentFiles.StoredManifest stored) {
        StoredFile file = stored.records();
        return checked.computeIfAbsent(file.name(), _ -> {
            try {
                return file.sha256().equals(stored.manifest().sha256())
                        ? Optional.empty()
                        : Optional.of("damaged: %s (offsets %d to %d): its SHA-256 is not that of its manifest. %s"
                                .formatted(
                                        file,
                                        stored.manifest().firstOffset(),
                                        stored.manifest().lastOffset(),
                                        remedy(stored)));
            } catch (NoSuchFileException _) {
                return Optional.of("missing: %s: the file does not exist. %s".formatted(file, remedy(stored)));
            } catch (IOException e) {
                throw file.unreadable(e);
            }
        });
    }

    /** What to do about the file of a segment. A killed erasure leaves a draft beside the manifest. */
    private String remedy(SegmentFiles.StoredManifest stored) {
        String name = stored.file().name();
        return archive.store().files(name.substring(0, name.lastIndexOf('/'))).stream()
                        .anyMatch((stored.file().fileName() + FolderStore.DRAFT)::equals)
                ? "An erasure was interrupted: complete it with claimstream audit erase, and verify again."
                : "Restore the file from a copy; or delete it with all later files of its folder, and archive again while the topic has offset %d."
                        .formatted(stored.manifest().from());
    }

    @Override
    public SortedSet<Integer> partitions(String topic) {
        return new TreeSet<>(archive.partitions(topic));
    }

    @Override
    public long begin(String topic, int partition) {
        List<SegmentFiles.StoredManifest> all = of(topic, partition);
        return all.isEmpty() ? 0 : all.getFirst().manifest().from();
    }

    @Override
    public long end(String topic, int partition) {
        List<SegmentFiles.StoredManifest> all = of(topic, partition);
        return all.isEmpty() ? 0 : all.getLast().manifest().to();
    }

    @Override
    public List<OffsetGap> gaps(String topic, int partition, long from, long to) {
        List<OffsetGap> gaps = new ArrayList<>();
        long next = from;
        for (SegmentFiles.StoredManifest stored : of(topic, partition)) {
            long begin = Math.min(to, stored.manifest().from());
            if (begin > next) {
                gaps.add(new OffsetGap(next, begin));
            }
            next = Math.max(next, stored.manifest().to());
        }
        return gaps;
    }

    @Override
    public long offsetAt(String topic, int partition, Instant time) {
        for (SegmentFiles.StoredManifest stored : of(topic, partition)) {
            SegmentManifest manifest = stored.manifest();
            if (!manifest.lastTime().isBefore(time)) {
                var found = new ArrayList<Long>();
                forEach(topic, partition, manifest.from(), manifest.to(), record -> {
                    if (record.timestamp().isBefore(time)) {
                        return true;
                    }
                    found.add(record.offset());
                    return false;
                });
                return found.isEmpty() ? manifest.to() : found.getFirst();
            }
        }
        return end(topic, partition);
    }

    /** The manifests of the segments that can be read, in the order of their offsets. */
    List<SegmentManifest> intactSegments(String topic, int partition) {
        return of(topic, partition).stream()
                .filter(each -> damage(each).isEmpty())
                .map(SegmentFiles.StoredManifest::manifest)
                .toList();
    }

    /** The first segment in which names were erased, for people; empty if there is none. */
    public Optional<String> erasedSegment() {
        return manifests.values().stream()
                .flatMap(List::stream)
                .filter(each -> each.manifest().isErased())
                .map(each -> each.file().toString())
                .min(String::compareTo);
    }

    /** The files of the archive. They are closed with the log. */
    public ArchiveStore store() {
        return archive.store();
    }

    /**
     * The last authentic checkpoint that is published in the archive.
     *
     * @param isAuthentic whether a checkpoint is signed by a known key
     * @param passed receives a line for each later file that is no authentic checkpoint
     */
    public Optional<Checkpoint> lastCheckpoint(Predicate<Checkpoint> isAuthentic, Consumer<String> passed) {
        return new CheckpointFiles(archive.store()).last(isAuthentic, passed).map(PublishedCheckpoint::checkpoint);
    }

    /**
     * Describes the end of the archived log: a line per partition of the ledgers, with offset and time of its last record, and one for the
     * telemetry.
     */
    public List<String> ends() {
        Stream<String> ledgers = partitions(LogVerifier.LEDGER).stream()
                .flatMap(partition -> lastSegment(LogVerifier.LEDGER, partition).stream())
                .map(last -> "the archive has %s, partition %d, up to offset %d at %s"
                        .formatted(last.topic(), last.partition(), last.lastOffset(), last.lastTime()));
        return Stream.concat(ledgers, telemetryEnd().stream()).toList();
    }

    private Optional<String> telemetryEnd() {
        try {
            return new TelemetryFiles(archive.store())
                    .last()
                    .map(last -> "the archive has telemetry up to the hour that ends at %s".formatted(last.end()));
        } catch (AuditException e) {
            return Optional.empty(); // a line of problems() names the manifest
        }
    }

    /** The schemas of the values of a topic, by their ids. */
    public SortedMap<Integer, Schema> schemas(String topic) {
        var found = new TreeMap<Integer, Schema>();
        archive.partitions(topic).stream()
                .flatMap(partition -> of(topic, partition).stream())
                .flatMap(stored -> stored.manifest().schemas().keySet().stream())
                .forEach(id -> schema(id).ifPresent(schema -> found.put(id, schema)));
        return found;
    }

    /** The last manifest of a partition; the file of its segment may be damaged. */
    Optional<SegmentManifest> lastSegment(String topic, int partition) {
        List<SegmentFiles.StoredManifest> all = of(topic, partition);
        return all.isEmpty() ? Optional.empty() : Optional.of(all.getLast().manifest());
    }

    /** Passes the records of intact segments; {@link #problems} names the segments that are left out. */
    @Override
    public void forEach(String topic, int partition, long from, long to, Predicate<LogRecord> action) {
        for (SegmentFiles.StoredManifest stored : of(topic, partition)) {
            SegmentManifest manifest = stored.manifest();
            boolean isInRange = manifest.lastOffset() >= from && manifest.firstOffset() < to;
            if (isInRange) {
                damage(stored).ifPresent(damaged);
            }
            if (isInRange && damage(stored).isEmpty() && !read(stored, from, to, action)) {
                return;
            }
        }
    }

    /** Reads a segment; returns whether to continue. A caller that continues where it stopped does not read the segment again. */
    private boolean read(SegmentFiles.StoredManifest stored, long from, long to, Predicate<LogRecord> action) {
        SegmentManifest manifest = stored.manifest();
        String key = key(manifest.topic(), manifest.partition());
        Optional<SegmentReader> last = Optional.ofNullable(open.remove(key));
        if (last.filter(each -> each.isBefore(manifest, from)).isEmpty()) {
            last.ifPresent(SegmentReader::close);
            last = Optional.empty();
        }
        SegmentReader reader = last.orElseGet(() -> SegmentReader.open(stored));
        open.put(key, reader);
        boolean continues = reader.read(from, to, action);
        if (reader.isAtEnd()) {
            open.remove(key);
            reader.close();
        }
        return continues;
    }

    @Override
    public Optional<Schema> schema(int id) {
        return Optional.ofNullable(schemas.get(id));
    }

    @Override
    public Optional<CellSnapshot> snapshot(int cell, Instant time) {
        return snapshots.of(cell).reversed().stream()
                .filter(each -> !each.at().isAfter(time))
                .findFirst()
                .map(each -> {
                    each.schemas().forEach((id, schema) -> addSchema(each.file(), id, schema));
                    return each;
                });
    }

    @Override
    public String location() {
        return archive.store().location();
    }

    @Override
    public void close() {
        open.values().forEach(SegmentReader::close);
        open.clear();
        archive.store().close();
    }
}
