package dev.claimstream.s3;

import dev.claimstream.audit.ArchiveStore;
import dev.claimstream.audit.AuditException;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.Supplier;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ChecksumAlgorithm;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.ObjectLockMode;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;

/**
 * An archive whose files are the objects of an S3-compatible store.
 *
 * <p>A file is written to a local file, and stored by one request. A file that must be new is written with {@code If-None-Match}, so two
 * programs never replace each other's manifests. No program holds a lock: one that is killed leaves nothing that another waits for.
 */
final class S3Store implements ArchiveStore {
    /** Size up to which an object is read into memory. A larger one is copied to a local file: a reader may pause. */
    private static final long MEMORY_BYTES_MAX = 1 << 20;

    private final S3Client client;
    private final S3Location location;
    private final Clock clock;

    private S3Store(S3Client client, S3Location location, Clock clock) {
        this.client = client;
        this.location = location;
        this.clock = clock;
    }

    /**
     * Makes a store. No request is sent yet.
     *
     * @throws AuditException if the region of the bucket is not known
     */
    static S3Store open(S3Location location) {
        return open(location, S3Clients.RESPONSE_TIMEOUT);
    }

    /** @param responseTimeout time without a byte after which a request has failed */
    static S3Store open(S3Location location, Duration responseTimeout) {
        return new S3Store(S3Clients.of(location, responseTimeout), location, Clock.systemUTC());
    }

    @Override
    public String location() {
        return location.toString();
    }

    @Override
    public String location(String name) {
        return name.isEmpty() ? location.toString() : location + "/" + name;
    }

    @Override
    public boolean isExclusive() {
        return false;
    }

    @Override
    public SortedSet<String> folders() {
        String begin = begin("");
        var folders = new TreeSet<String>();
        answered("", () -> {
            client.listObjectsV2Paginator(request ->
                            request.bucket(location.bucket()).prefix(begin).delimiter("/"))
                    .commonPrefixes()
                    .forEach(each -> folders.add(each.prefix()
                            .substring(begin.length(), each.prefix().length() - 1)));
            return folders;
        });
        return folders;
    }

    @Override
    public List<String> files(String folder) {
        String begin = begin(folder);
        var files = new TreeSet<String>();
        answered(folder, () -> {
            client.listObjectsV2Paginator(request ->
                            request.bucket(location.bucket()).prefix(begin).delimiter("/"))
                    .contents()
                    .forEach(each -> files.add(each.key().substring(begin.length())));
            return files;
        });
        return List.copyOf(files);
    }

    /** The begin of the keys in a folder. */
    private String begin(String folder) {
        String key = location.key(folder);
        return key.isEmpty() || key.endsWith("/") ? key : key + '/';
    }

    private <T> T answered(String name, Supplier<T> request) {
        try {
            return request.get();
        } catch (SdkException e) {
            throw unreadable(name, S3Failure.of(e, location));
        }
    }

    @Override
    public InputStream open(String name) throws IOException {
        try (ResponseInputStream<GetObjectResponse> in =
                client.getObject(request -> request.bucket(location.bucket()).key(location.key(name)))) {
            if (in.response().contentLength() <= MEMORY_BYTES_MAX) {
                return new ByteArrayInputStream(in.readAllBytes());
            }
            Path copy = Files.createTempFile("claimstream-", ".copy");
            try {
                Files.copy(in, copy, StandardCopyOption.REPLACE_EXISTING);
                return new BufferedInputStream(Files.newInputStream(copy, StandardOpenOption.DELETE_ON_CLOSE));
            } catch (IOException e) {
                Files.deleteIfExists(copy);
                throw e;
            }
        } catch (SdkException e) {
            if (S3Failure.isNotFound(e)) {
                throw new NoSuchFileException(location(name));
            }
            throw S3Failure.of(e, location);
        }
    }

    @Override
    public Path draft(String name) throws IOException {
        return Files.createTempFile("claimstream-", ".draft");
    }

    @Override
    public void publish(Path draft, String name, Publication publication) throws IOException {
        PutObjectRequest.Builder request = PutObjectRequest.builder()
                .bucket(location.bucket())
                .key(location.key(name))
                .checksumAlgorithm(ChecksumAlgorithm.SHA256);
        if (publication == Publication.NEW) {
            request.ifNoneMatch("*");
        }
        location.lock()
                .ifPresent(lock -> request.objectLockMode(
                                switch (lock.mode()) {
                                    case GOVERNANCE -> ObjectLockMode.GOVERNANCE;
                                    case COMPLIANCE -> ObjectLockMode.COMPLIANCE;
                                })
                        .objectLockRetainUntilDate(clock.instant().plus(lock.time())));
        try {
            var unused = client.putObject(request.build(), RequestBody.fromFile(draft));
        } catch (SdkException e) {
            if (S3Failure.isExisting(e)) {
                throw new FileAlreadyExistsException(location(name));
            }
            throw S3Failure.of(e, location);
        }
        Files.deleteIfExists(draft);
    }

    @Override
    public boolean delete(String name) {
        try {
            boolean isThere = exists(name);
            var unused = client.deleteObject(
                    request -> request.bucket(location.bucket()).key(location.key(name)));
            return isThere;
        } catch (SdkException e) {
            throw unwritable(name, S3Failure.of(e, location));
        }
    }

    private boolean exists(String name) {
        try {
            var unused = client.headObject(
                    request -> request.bucket(location.bucket()).key(location.key(name)));
            return true;
        } catch (SdkException e) {
            if (S3Failure.isNotFound(e)) {
                return false;
            }
            throw e;
        }
    }

    /** Locks nothing. Fails early if the bucket cannot be reached. */
    @Override
    public WriteLock lock() {
        var unused = answered(
                "",
                () -> client.listObjectsV2(request ->
                        request.bucket(location.bucket()).prefix(begin("")).maxKeys(1)));
        return () -> {};
    }

    /** Lists the versions of all folders: a folder whose objects are all deleted is not among {@link #folders}. */
    @Override
    public List<String> replaced(Predicate<String> isSealed) {
        var byFolder = new TreeMap<String, FolderVersions>();
        String begin = begin("");
        try {
            client.listObjectVersionsPaginator(
                            request -> request.bucket(location.bucket()).prefix(begin))
                    .forEach(page -> {
                        page.versions().stream()
                                .filter(each -> isSealed.test(each.key()))
                                .forEach(each -> versions(byFolder, begin, each.key())
                                        .ifPresent(versions -> versions.add(each)));
                        page.deleteMarkers().stream()
                                .filter(each -> isSealed.test(each.key()))
                                .forEach(each -> versions(byFolder, begin, each.key())
                                        .ifPresent(versions -> versions.add(each)));
                    });
        } catch (SdkException e) {
            if (S3Failure.isNotImplemented(e)) {
                return List.of();
            }
            throw unreadable("", S3Failure.of(e, location));
        }
        return byFolder.values().stream()
                .flatMap(each -> each.problems(key -> "s3://%s/%s".formatted(location.bucket(), key)).stream())
                .toList();
    }

    /** The versions in the folder of a key; empty for a key at the top. */
    private static Optional<FolderVersions> versions(Map<String, FolderVersions> byFolder, String begin, String key) {
        int slash = key.indexOf('/', begin.length());
        return slash < 0
                ? Optional.empty()
                : Optional.of(
                        byFolder.computeIfAbsent(key.substring(begin.length(), slash), _ -> new FolderVersions()));
    }

    @Override
    public AuditException unreadable(String name, IOException e) {
        return switch (e) {
            case NoSuchFileException _ ->
                new AuditException("%s does not exist: name the location of an archive".formatted(location(name)), e);
            case S3Failure failure ->
                new AuditException(
                        "%s cannot be read: %s. %s.".formatted(location(name), failure.getMessage(), failure.remedy()),
                        e);
            default ->
                new AuditException(
                        "%s cannot be read: %s. Check the connection, and the free space in %s."
                                .formatted(location(name), e.getMessage(), drafts()),
                        e);
        };
    }

    @Override
    public AuditException unwritable(String name, IOException e) {
        return switch (e) {
            case FileAlreadyExistsException _ ->
                new AuditException(
                        "%s exists already: another program archives to %s. Stop it first, or name another prefix."
                                .formatted(location(name), location),
                        e);
            case S3Failure failure ->
                new AuditException(
                        "%s cannot be written: %s. %s, and start again: the archive continues after its last sealed segment."
                                .formatted(location(name), failure.getMessage(), failure.remedy()),
                        e);
            default ->
                new AuditException(
                        "%s cannot be written: %s. Free space in %s, and start again: the archive continues after its last sealed segment."
                                .formatted(location(name), e.getMessage(), drafts()),
                        e);
        };
    }

    /** The folder of drafts and copies. */
    private static String drafts() {
        return String.valueOf(System.getProperty("java.io.tmpdir"));
    }

    @Override
    public void close() {
        client.close();
    }
}
