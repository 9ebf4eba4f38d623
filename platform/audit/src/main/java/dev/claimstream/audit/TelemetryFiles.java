package dev.claimstream.audit;

import dev.claimstream.audit.TelemetryManifest.OffsetRange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The hours of telemetry of an archive: in the folder {@code telemetry}, an Avro file and its manifest per hour.
 *
 * <p>An hour exists once its manifest exists, which is published last. Each manifest names the hash of the one before it.
 */
public final class TelemetryFiles {
    static final String FOLDER = "telemetry";

    private static final DateTimeFormatter NAME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH").withZone(ZoneOffset.UTC);

    private final ArchiveStore archive;

    public TelemetryFiles(ArchiveStore archive) {
        this.archive = archive;
    }

    /** A manifest, its file, and the SHA-256 of the bytes of that file in hexadecimal. */
    record StoredHour(StoredFile file, String sha256, TelemetryManifest manifest) {}

    /**
     * The hours, in order.
     *
     * @throws AuditException if a manifest cannot be read
     */
    public List<TelemetryManifest> all() {
        return stored().stream().map(StoredHour::manifest).toList();
    }

    /** The last hour. */
    public Optional<TelemetryManifest> last() {
        return lastStored().map(StoredHour::manifest);
    }

    List<StoredHour> stored() {
        return manifestFiles().stream().map(TelemetryFiles::read).toList();
    }

    private Optional<StoredHour> lastStored() {
        List<StoredFile> files = manifestFiles();
        return files.isEmpty() ? Optional.empty() : Optional.of(read(files.getLast()));
    }

    private List<StoredFile> manifestFiles() {
        return files(SegmentFiles.MANIFEST);
    }

    private List<StoredFile> files(String suffix) {
        return archive.files(FOLDER).stream()
                .filter(each -> each.endsWith(suffix))
                .map(each -> new StoredFile(archive, FOLDER + '/' + each))
                .toList();
    }

    private static StoredHour read(StoredFile file) {
        try {
            byte[] bytes = file.bytes();
            TelemetryManifest manifest = TelemetryManifest.of(new String(bytes, StandardCharsets.UTF_8), file);
            if (!file.fileName().equals(NAME.format(manifest.hour()) + SegmentFiles.MANIFEST)
                    || !manifest.file().fileName().startsWith(NAME.format(manifest.hour()))) {
                throw new AuditException("%s describes another hour: %s. Restore the file from a copy."
                        .formatted(file, manifest.hour()));
            }
            return new StoredHour(file, Sha256.of(bytes), manifest);
        } catch (IOException e) {
            throw file.unreadable(e);
        }
    }

    /** A new local file for the records of an hour. */
    public Path draft(Instant hour) throws IOException {
        return archive.draft(records(hour).name());
    }

    private StoredFile records(Instant hour) {
        return new StoredFile(archive, FOLDER + '/' + NAME.format(hour) + SegmentFiles.DATA);
    }

    /** The error of an hour that cannot be written. */
    public AuditException unwritable(Instant hour, IOException e) {
        return archive.unwritable(records(hour).name(), e);
    }

    /**
     * Publishes an hour: the draft of its records, and then its manifest.
     *
     * @throws IOException if the records cannot be stored
     * @throws AuditException if the manifest cannot be written, or exists
     */
    public void publish(
            Instant hour,
            Path draft,
            SortedMap<Integer, OffsetRange> offsets,
            SortedMap<Integer, String> schemas,
            String release)
            throws IOException {
        String sha256 = Sha256.of(draft);
        long bytes = Files.size(draft);
        StoredFile file = SegmentFiles.published(records(hour), sha256);
        archive.publish(draft, file.name(), ArchiveStore.Publication.REPLACEMENT);
        seal(hour, file, bytes, sha256, offsets, schemas, release);
    }

    private void seal(
            Instant hour,
            StoredFile file,
            long bytes,
            String sha256,
            SortedMap<Integer, OffsetRange> offsets,
            SortedMap<Integer, String> schemas,
            String release) {
        String previous = lastStored().map(StoredHour::sha256).orElse("");
        var manifest = new TelemetryManifest(hour, offsets, bytes, sha256, release, previous, schemas, file);
        archive.write(
                FOLDER + '/' + NAME.format(hour) + SegmentFiles.MANIFEST,
                manifest.text(),
                ArchiveStore.Publication.NEW);
    }

    /**
     * The files of an earlier build, which wrote no manifests: all files, or those after the last manifest if {@link #sealEarlier} was
     * killed. Empty if the last manifest was published with its file.
     *
     * @throws AuditException if the last manifest cannot be read
     */
    public List<StoredFile> unsealed() {
        Optional<TelemetryManifest> last = last();
        if (last.filter(each -> !each.offsets().isEmpty()).isPresent()) {
            return List.of();
        }
        return files(SegmentFiles.DATA).stream()
                .filter(file -> hourOfEarlier(file)
                        .filter(hour -> last.map(TelemetryManifest::hour)
                                .filter(latest -> !hour.isAfter(latest))
                                .isEmpty())
                        .isPresent())
                .toList();
    }

    /** The hour in the name that an earlier build gives a file; empty for another name, such as one with a hash. */
    private static Optional<Instant> hourOfEarlier(StoredFile file) {
        try {
            return Optional.of(Instant.parse(file.fileName().replace(SegmentFiles.DATA, ":00:00Z")));
        } catch (DateTimeParseException _) {
            return Optional.empty();
        }
    }

    /**
     * Writes manifests for {@link #unsealed} files. A killed run is continued by the next one.
     *
     * @throws AuditException if a file cannot be read, or a manifest cannot be written
     */
    public void sealEarlier(String release) {
        for (StoredFile file : unsealed()) {
            try {
                seal(
                        hourOfEarlier(file).orElseThrow(),
                        file,
                        file.bytes().length,
                        file.sha256(),
                        new TreeMap<>(),
                        new TreeMap<>(),
                        release);
            } catch (IOException e) {
                throw file.unreadable(e);
            }
        }
    }

    /** Deletes an hour, its manifest first: records without a manifest do not exist. */
    void delete(StoredHour hour) {
        archive.delete(hour.file().name());
        archive.delete(hour.manifest().file().name());
    }

    /** Compares all files with their manifests, and the manifests with each other. Returns one line per problem. */
    List<String> problems() {
        List<String> problems = new ArrayList<>();
        List<StoredHour> hours;
        try {
            hours = stored();
        } catch (AuditException e) { // a manifest: the segments are verified nevertheless
            return List.of(String.valueOf(e.getMessage()));
        }
        for (int i = 0; i < hours.size(); i++) {
            StoredHour hour = hours.get(i);
            hour.manifest().damage().ifPresent(problems::add);
            if (i > 0 && !hour.manifest().previous().equals(hours.get(i - 1).sha256())) {
                problems.add(
                        "changed: %s: it is not the manifest that %s names, or an hour between them is deleted. Restore the files from a copy."
                                .formatted(hours.get(i - 1).file(), hour.file()));
            }
        }
        return problems;
    }
}
