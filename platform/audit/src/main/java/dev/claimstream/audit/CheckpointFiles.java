package dev.claimstream.audit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;

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
        return archive.place(name);
    }

    private static String name(Checkpoint checkpoint) {
        return "%s/%s%s".formatted(FOLDER, NAME.format(checkpoint.time()), SegmentFiles.MANIFEST);
    }

    /**
     * The last published checkpoint; empty if there is none.
     *
     * @throws AuditException if it cannot be read, or its name is not that of its time
     */
    public Optional<PublishedCheckpoint> last() {
        List<String> names =
                archive.files(FOLDER).stream().filter(SegmentFiles::isManifest).toList();
        return names.isEmpty() ? Optional.empty() : Optional.of(read(FOLDER + '/' + names.getLast()));
    }

    private PublishedCheckpoint read(String name) {
        var file = new StoredFile(archive, name);
        try {
            Checkpoint checkpoint = Checkpoint.of(new String(file.bytes(), StandardCharsets.UTF_8));
            if (!name.equals(name(checkpoint))) {
                throw new AuditException(
                        "%s has the checkpoint of %s, which is published as %s: a copy with a later name hides later checkpoints. Keep a copy as evidence, and delete the file."
                                .formatted(file, checkpoint.time(), name(checkpoint)));
            }
            return new PublishedCheckpoint(checkpoint, archive.place(name));
        } catch (IOException e) {
            throw file.unreadable(e);
        } catch (IllegalArgumentException e) {
            throw new AuditException(
                    "%s is not a checkpoint: %s. Restore the file from a copy.".formatted(file, e.getMessage()), e);
        }
    }
}
