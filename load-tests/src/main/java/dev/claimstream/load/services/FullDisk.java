package dev.claimstream.load.services;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A small file system in memory, which can be filled. Needs root. */
final class FullDisk implements AutoCloseable {
    private static final int SIZE_MB = 256;
    private static final int BLOCK = 1 << 16;

    private final Path folder;

    private FullDisk(Path folder) {
        this.folder = folder;
    }

    /** Mounts the file system at a folder, which is created. */
    static FullDisk mount(Path folder) throws IOException {
        Files.createDirectories(folder);
        RootCommand.require(
                List.of("mount", "-t", "tmpfs", "-o", "size=%dm".formatted(SIZE_MB), "tmpfs", folder.toString()));
        return new FullDisk(folder);
    }

    /** Writes a file until no space is left. */
    void fill() throws IOException {
        try (OutputStream out = Files.newOutputStream(filler())) {
            byte[] block = new byte[BLOCK];
            while (folder.toFile().getUsableSpace() > 0) {
                out.write(block);
            }
        } catch (IOException e) {
            if (folder.toFile().getUsableSpace() > BLOCK) {
                throw e;
            }
        }
    }

    /** Deletes the file. */
    void free() throws IOException {
        Files.deleteIfExists(filler());
    }

    private Path filler() {
        return folder.resolve("filler");
    }

    @Override
    public void close() throws IOException {
        RootCommand.require(List.of("umount", "-l", folder.toString()));
    }
}
