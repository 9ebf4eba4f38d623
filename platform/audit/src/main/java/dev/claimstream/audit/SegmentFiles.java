package dev.claimstream.audit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The segments of an archive: per partition a folder {@code <topic>-<partition>}, and in it per segment an Avro file and its manifest.
 *
 * <p>A segment exists once its manifest exists, which is published last. So a killed writer leaves a segment or none.
 */
final class SegmentFiles {
    static final String DATA = ".avro";
    static final String MANIFEST = ".json";

    /** Number of digits of a hash in a name. */
    private static final int HASH_DIGITS = 16;

    private static final Pattern PARTITION = Pattern.compile("(.+)-([0-9]{1,9})");

    private final ArchiveStore store;

    SegmentFiles(ArchiveStore store) {
        this.store = store;
    }

    ArchiveStore store() {
        return store;
    }

    /** A manifest, its file, and the SHA-256 of the bytes of that file in hexadecimal. */
    record StoredManifest(StoredFile file, String sha256, SegmentManifest manifest) {
        StoredFile records() {
            return file.sibling(manifest.file());
        }
    }

    /** The partitions of a topic that have a folder. */
    SortedSet<Integer> partitions(String topic) {
        var numbers = new TreeSet<Integer>();
        store.folders().forEach(each -> {
            Matcher name = PARTITION.matcher(each);
            if (name.matches() && name.group(1).equals(topic)) {
                numbers.add(Integer.valueOf(name.group(2)));
            }
        });
        return numbers;
    }

    static String folder(String topic, int partition) {
        return "%s-%d".formatted(topic, partition);
    }

    static String name(long offset) {
        return "%020d".formatted(offset);
    }

    /** The file of the records of a segment that begins at an offset. */
    StoredFile records(String topic, int partition, long from) {
        return new StoredFile(store, folder(topic, partition) + '/' + name(from) + DATA);
    }

    /** The name under which a file with this hash is published: its own, or one that no other content has. */
    static StoredFile published(StoredFile file, String sha256) {
        if (file.store().isExclusive()) {
            return file;
        }
        String name = file.fileName();
        return file.sibling("%s-%s%s"
                .formatted(name.substring(0, name.length() - DATA.length()), sha256.substring(0, HASH_DIGITS), DATA));
    }

    static boolean isManifest(String name) {
        return name.endsWith(MANIFEST);
    }

    /** The manifests of a partition in the order of their offsets. */
    List<StoredManifest> manifests(String topic, int partition) {
        List<StoredManifest> manifests = new ArrayList<>();
        for (StoredFile file : manifestFiles(topic, partition)) {
            manifests.add(read(file, topic, partition));
        }
        return manifests;
    }

    Optional<StoredManifest> last(String topic, int partition) {
        List<StoredFile> files = manifestFiles(topic, partition);
        return files.isEmpty() ? Optional.empty() : Optional.of(read(files.getLast(), topic, partition));
    }

    /**
     * Deletes the records before the first manifest of a folder: a run that was killed between the two deletions has left
     * them. Later records without a manifest stay, because another program may be about to publish it.
     */
    void deleteBeforeFirst(String folder) {
        List<String> files = store.files(folder);
        Optional<String> first = files.stream()
                .filter(SegmentFiles::isManifest)
                .map(each -> each.substring(0, each.length() - MANIFEST.length()))
                .findFirst();
        first.ifPresent(name -> files.stream()
                .filter(each -> each.endsWith(DATA) && each.compareTo(name) < 0)
                .forEach(each -> store.delete(folder + '/' + each)));
    }

    private List<StoredFile> manifestFiles(String topic, int partition) {
        String folder = folder(topic, partition);
        return store.files(folder).stream()
                .filter(SegmentFiles::isManifest)
                .map(each -> new StoredFile(store, folder + '/' + each))
                .toList();
    }

    private static StoredManifest read(StoredFile file, String topic, int partition) {
        try {
            byte[] bytes = file.bytes();
            SegmentManifest manifest = SegmentManifest.of(new String(bytes, StandardCharsets.UTF_8));
            if (!manifest.topic().equals(topic)
                    || manifest.partition() != partition
                    || !isRecordsFile(manifest)
                    || !file.fileName().equals(name(manifest.from()) + MANIFEST)) {
                throw new AuditException(
                        "%s describes another segment: %s, partition %d, from offset %d. Restore the file from a copy."
                                .formatted(file, manifest.topic(), manifest.partition(), manifest.from()));
            }
            return new StoredManifest(file, Sha256.of(bytes), manifest);
        } catch (IOException e) {
            throw file.unreadable(e);
        } catch (IllegalArgumentException e) {
            throw new AuditException(
                    "%s cannot be used: %s. If it is damaged, restore it from a copy.".formatted(file, e.getMessage()),
                    e);
        }
    }

    /** Whether the file that a manifest names is in the folder of the manifest, and begins at its offset. */
    private static boolean isRecordsFile(SegmentManifest manifest) {
        Path folder = Path.of(folder(manifest.topic(), manifest.partition())).normalize();
        Path file = folder.resolve(manifest.file()).normalize();
        return folder.equals(file.getParent())
                && file.getFileName().toString().equals(manifest.file())
                && manifest.file().startsWith(name(manifest.from()));
    }

    /** Publishes the manifest of a segment whose records are published. It must not exist yet. */
    void seal(SegmentManifest manifest) {
        store.write(
                folder(manifest.topic(), manifest.partition()) + '/' + name(manifest.from()) + MANIFEST,
                manifest.text(),
                ArchiveStore.Publication.NEW);
    }
}
