import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;

/** Decodes values of topics with the schemas of a registry that has Confluent's REST API. */
final class Registry {
    private static final int HEADER_BYTES = 5;
    private static final Duration RESPONSE_WITHIN = Duration.ofSeconds(5);
    private static final Duration REGISTRY_WITHIN = Duration.ofMinutes(2);

    private final URI url;
    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(RESPONSE_WITHIN).build();
    private final Map<Integer, GenericDatumReader<GenericRecord>> readers = new HashMap<>();

    Registry(URI url) {
        this.url = url;
    }

    /** A record and its Avro bytes, without the five bytes of the schema id. */
    record FramedRecord(byte[] bytes, GenericRecord content) {}

    /** Decodes a value; empty if its schema is unknown or bytes remain. */
    Optional<FramedRecord> read(byte[] framed) {
        if (framed.length < HEADER_BYTES || framed[0] != 0) {
            return Optional.empty();
        }
        byte[] bytes = Arrays.copyOfRange(framed, HEADER_BYTES, framed.length);
        try {
            Optional<GenericDatumReader<GenericRecord>> reader =
                    reader(ByteBuffer.wrap(framed, 1, Integer.BYTES).getInt());
            if (reader.isEmpty()) {
                return Optional.empty();
            }
            BinaryDecoder decoder = DecoderFactory.get().binaryDecoder(bytes, null);
            GenericRecord content = reader.get().read(null, decoder);
            return decoder.isEnd() ? Optional.of(new FramedRecord(bytes, content)) : Optional.empty();
        } catch (IOException | AvroRuntimeException e) {
            return Optional.empty();
        }
    }

    private Optional<GenericDatumReader<GenericRecord>> reader(int id) {
        if (!readers.containsKey(id)) {
            schema(id).ifPresent(schema -> readers.put(id, new GenericDatumReader<>(schema)));
        }
        return Optional.ofNullable(readers.get(id));
    }

    /** Waits for a registry that does not respond. */
    private Optional<Schema> schema(int id) {
        long end = System.nanoTime() + REGISTRY_WITHIN.toNanos();
        var request = HttpRequest.newBuilder(URI.create(url + "/schemas/ids/" + id))
                .timeout(RESPONSE_WITHIN)
                .build();
        while (true) {
            try {
                HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
                if (response.statusCode() == 200) {
                    return Optional.of(new Schema.Parser()
                            .parse(json(response.body()).path("schema").asText()));
                }
                if (response.statusCode() == 404) {
                    return Optional.empty();
                }
            } catch (IOException e) {
                // the request is retried
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            if (System.nanoTime() > end || Thread.currentThread().isInterrupted()) {
                throw new IllegalStateException(
                        "no response from the schema registry %s for schema %d within %s: check that the registry runs"
                                .formatted(url, id, REGISTRY_WITHIN));
            }
            pause();
        }
    }

    private static void pause() {
        try {
            Thread.sleep(500);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static JsonNode json(String text) {
        try {
            return new ObjectMapper().readTree(text);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("invalid JSON: " + text, e);
        }
    }
}
