package dev.claimstream.audit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** The checkpoints that are published in an archive: a file {@code checkpoints/<time>.json} each, which is written once. */
public final class CheckpointFiles {
    private static final String FOLDER = "checkpoints";
    private static final DateTimeFormatter NAME =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmssSSS'Z'").withZone(ZoneOffset.UTC);

    private final ArchiveStore archive;

    public CheckpointFiles(ArchiveStore archive) {
        this.archive = archive;
    }

    /**
     * Publishes a checkpoint.
     *
     * @return where it is, for people
     * @throws AuditException if the archive cannot be written, or has a checkpoint of this time
     */
    public String publish(Checkpoint checkpoint) {
        String name = name(checkpoint);
        archive.write(name, checkpoint.text(), ArchiveStore.Publication.NEW);
        return archive.location(name);
    }

    private static String name(Checkpoint checkpoint) {
        return "%s/%s%s".formatted(FOLDER, NAME.format(checkpoint.time()), SegmentFiles.MANIFEST);
    }

    /**
     * The last published checkpoint that is authentic. A file that another program has put there with a later name does not hide it.
     *
     * @param isAuthentic whether a checkpoint is signed by a known key
     * @param passed receives a line for each later file that is no authentic checkpoint, or has the name of another time
     * @return empty if no file is an authentic checkpoint
     * @throws AuditException if a file cannot be read
     */
    public Optional<PublishedCheckpoint> last(Predicate<Checkpoint> isAuthentic, Consumer<String> passed) {
        List<String> names =
                archive.files(FOLDER).stream().filter(SegmentFiles::isManifest).toList();
        for (String name : names.reversed()) {
            String file = FOLDER + '/' + name;
            try {
                Checkpoint checkpoint = read(new StoredFile(archive, file));
                if (isAuthentic.test(checkpoint)) {
                    return Optional.of(new PublishedCheckpoint(checkpoint, archive.location(file)));
                }
                passed.accept("%s is not signed by a known key".formatted(archive.location(file)));
            } catch (IllegalArgumentException e) {
                passed.accept("%s is not a checkpoint: %s".formatted(archive.location(file), e.getMessage()));
            }
        }
        return Optional.empty();
    }

    /** Checkpoints that were replaced or deleted since they were published, as far as the store keeps earlier versions: one line each. */
    public List<String> replaced() {
        return archive.replaced(name -> name.contains(FOLDER + '/') && SegmentFiles.isManifest(name));
    }

    private static Checkpoint read(StoredFile file) {
        try {
            Checkpoint checkpoint = Checkpoint.of(new String(file.bytes(), StandardCharsets.UTF_8));
            if (!file.name().equals(name(checkpoint))) {
                throw new IllegalArgumentException(
                        "it has the content of %s, published again under a later name".formatted(name(checkpoint)));
            }
            return checkpoint;
        } catch (IOException e) {
            throw file.unreadable(e);
        }
    }
}
