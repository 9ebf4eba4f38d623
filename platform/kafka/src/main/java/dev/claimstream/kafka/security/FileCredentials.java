package dev.claimstream.kafka.security;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.NameCallback;
import javax.security.auth.callback.PasswordCallback;
import javax.security.auth.callback.UnsupportedCallbackException;
import javax.security.auth.login.AppConfigurationEntry;
import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;

/**
 * Answers Kafka's SASL clients with a user name and the password of a file.
 *
 * <p>The file is read at each authentication: a changed password applies at the next connection, and no setting of a client contains it.
 */
public final class FileCredentials implements AuthenticateCallbackHandler {
    static final String USERNAME = "username";
    static final String PASSWORD_FILE = "passwordFile";

    private String username = "";
    private SecretFile password = new SecretFile(Path.of(""));

    /** Created by Kafka, which calls {@link #configure} next. */
    public FileCredentials() {}

    @Override
    public void configure(Map<String, ?> configs, String saslMechanism, List<AppConfigurationEntry> entries) {
        Map<String, ?> options = entries.getFirst().getOptions();
        username = String.valueOf(options.get(USERNAME));
        password = new SecretFile(Path.of(String.valueOf(options.get(PASSWORD_FILE))));
    }

    @Override
    public void handle(Callback[] callbacks) throws IOException, UnsupportedCallbackException {
        for (Callback callback : callbacks) {
            switch (callback) {
                case NameCallback name -> name.setName(username);
                case PasswordCallback secret ->
                    secret.setPassword(password.read().toCharArray());
                default ->
                    throw new UnsupportedCallbackException(callback); // SCRAM asks for extensions, which are optional
            }
        }
    }

    @Override
    public void close() {}
}
