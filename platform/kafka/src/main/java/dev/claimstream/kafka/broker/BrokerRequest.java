package dev.claimstream.kafka.broker;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.RequestHeader;

/** Sends one request over a new connection, for requests that no Kafka client sends. */
final class BrokerRequest {
    private static final int TIMEOUT_MS = 10_000;
    private static final int CORRELATION = 1;

    private BrokerRequest() {}

    /** @param bootstrap address of the broker, a listener without encryption */
    static AbstractResponse send(String bootstrap, AbstractRequest request) throws IOException {
        var header = new RequestHeader(request.apiKey(), request.version(), "claimstream", CORRELATION);
        ByteBuffer bytes = request.serializeWithHeader(header);
        int colon = bootstrap.lastIndexOf(':');
        try (var socket = new Socket(bootstrap.substring(0, colon), Integer.parseInt(bootstrap.substring(colon + 1)))) {
            socket.setSoTimeout(TIMEOUT_MS);
            socket.getOutputStream()
                    .write(ByteBuffer.allocate(Integer.BYTES + bytes.remaining())
                            .putInt(bytes.remaining())
                            .put(bytes)
                            .array());
            var in = new DataInputStream(socket.getInputStream());
            byte[] answer = new byte[in.readInt()];
            in.readFully(answer);
            return AbstractResponse.parseResponse(ByteBuffer.wrap(answer), header);
        }
    }
}
