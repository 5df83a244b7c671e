package io.rocketbufs.livestream;

import com.typesafe.config.Config;
import io.rocketbufs.settings.SettingsReader;
import io.rocketbufs.text.HostPort;
import io.rocketbufs.web.TlsSettings;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.List;

/**
 * The settings in the {@code livestream} section of the configuration. reference.conf explains each key.
 *
 * @param relay settings of a relay
 * @param edge settings of an edge
 * @param tls settings of the certificate that the relay and the edge use
 * @param threads number of threads that serve sources or viewers, at least one
 */
public record LivestreamSettings(RelaySettings relay, EdgeSettings edge, TlsSettings tls, int threads) {
    /** Path of the section in the configuration. */
    public static final String ROOT = "livestream";

    private static final int MAX_PORT = 65_535;
    private static final Path TLS_DIRECTORY = Path.of(System.getProperty("user.home"), ".rocketbufs", "livestream");
    /**
     * Upper limit of the chunk length setting. The longest chunk can be twice as long, and its length plus the space
     * reserved for it must fit into an int.
     */
    private static final long MAX_CHUNK_LENGTH = 1L << 29;

    private static final long DAY_MS = 86_400_000;
    private static final long MIN_CHUNK_LENGTH = 4096;
    private static final int MAX_CHUNKS = 1000;
    private static final int MAX_THREADS = 1024;
    private static final int MAX_STREAMS = 1_000_000;
    private static final int MAX_CONNECTIONS = 1_000_000;
    /** Minimum number of chunks that a buffer must hold, because a chunk may occupy at most a quarter of the buffer. */
    private static final int CHUNKS_AT_LEAST = 4;

    /**
     * Reads and checks all settings.
     *
     * @param config resolved configuration that includes the modules' reference.conf
     * @throws io.rocketbufs.settings.SettingsException if a value is invalid; the message names the key, file and line
     *     of the first invalid value
     */
    public static LivestreamSettings from(Config config) {
        SettingsReader reader = new SettingsReader(config, ROOT);
        RelayAddress relayAddress = relayAddress(reader, "relay.address", reader.integer("relay.port", 0, MAX_PORT));
        RelaySettings relay = relay(reader, relayAddress);
        EdgeSettings edge = new EdgeSettings(
                relayAddress.host,
                relayAddress.port,
                reader.text("relay.token"),
                reader.text("edge.address"),
                reader.integer("edge.port", 0, MAX_PORT),
                reader.millis("edge.relay-timeout", 0, DAY_MS),
                reader.millis("edge.keep", 0, DAY_MS),
                reader.millis("edge.idle-timeout", 1, DAY_MS),
                reader.integer("edge.max-connections", 1, MAX_CONNECTIONS),
                reader.text("metrics.token"));
        int threads = reader.integer("threads", 0, MAX_THREADS);
        return new LivestreamSettings(
                relay,
                edge,
                TlsSettings.from(reader, TLS_DIRECTORY),
                threads == 0 ? Runtime.getRuntime().availableProcessors() : threads);
    }

    private static RelaySettings relay(SettingsReader reader, RelayAddress address) {
        long chunkLength = reader.bytes("stream.chunk-length", MIN_CHUNK_LENGTH, MAX_CHUNK_LENGTH);
        long capacity = chunkLength * reader.integer("stream.chunks", CHUNKS_AT_LEAST, MAX_CHUNKS);
        RelaySettings relay = new RelaySettings(
                address.host,
                address.port,
                reader.texts("relay.credentials"),
                capacity,
                (int) Math.min(2 * chunkLength, capacity / CHUNKS_AT_LEAST),
                reader.integer("stream.max-count", 1, MAX_STREAMS),
                new IngestSettings(
                        reader.text("ingest.address"),
                        reader.integer("ingest.port", 0, MAX_PORT),
                        reader.list("ingest.raw").stream()
                                .map(LivestreamSettings::raw)
                                .toList(),
                        reader.list("ingest.keys").stream()
                                .map(LivestreamSettings::key)
                                .toList(),
                        reader.millis("ingest.segment", 1, DAY_MS),
                        reader.millis("ingest.source-timeout", 1, DAY_MS),
                        reader.millis("ingest.idle-timeout", 1, DAY_MS),
                        reader.integer("ingest.max-connections", 1, MAX_CONNECTIONS)),
                reader.text("metrics.token"));
        if (!reader.bool("insecure")) {
            checkExposure(reader, "relay.address", relay.host(), relay.credentials(), "relay.credentials");
            IngestSettings ingest = relay.ingest();
            checkExposure(reader, "ingest.address", ingest.host(), ingest.keys(), "ingest.keys");
        }
        return relay;
    }

    private static IngestSettings.RawPort raw(SettingsReader entry) {
        entry.only("port", "stream");
        String stream = entry.has("stream") ? entry.text("stream") : "";
        if (!stream.isEmpty() && !StreamName.isValid(stream)) {
            throw entry.wrong("stream", "\"" + stream + "\" is not a valid stream name");
        }
        return new IngestSettings.RawPort(entry.integer("port", 0, MAX_PORT), stream);
    }

    private static IngestSettings.Key key(SettingsReader entry) {
        entry.only("stream", "key");
        String key = entry.text("key");
        if (key.isEmpty()) {
            throw entry.wrong("key", "is empty");
        }
        return new IngestSettings.Key(entry.text("stream"), key);
    }

    /** An unresolved host and port. */
    private record RelayAddress(String host, int port) {}

    private static RelayAddress relayAddress(SettingsReader reader, String key, int defaultPort) {
        String text = reader.text(key);
        int colon = text.lastIndexOf(':');
        if (colon < 0 || text.endsWith("]") || text.indexOf(':') != colon && !text.startsWith("[")) {
            return new RelayAddress(text, defaultPort);
        }
        try {
            HostPort parsed = HostPort.parse(text);
            return new RelayAddress(parsed.host(), parsed.port());
        } catch (IllegalArgumentException e) {
            throw reader.wrong(key, "\"" + text + "\" is neither HOST nor HOST:PORT");
        }
    }

    private static void checkExposure(
            SettingsReader reader, String key, String host, List<?> secrets, String secretsKey) {
        try {
            if (secrets.isEmpty() && !InetAddress.getByName(host).isLoopbackAddress()) {
                throw reader.conflict(
                        key,
                        "\"" + host + "\" is not a loopback address: set " + ROOT + "." + secretsKey
                                + ", or livestream.insecure = true to accept unauthenticated clients",
                        secretsKey,
                        "insecure");
            }
        } catch (UnknownHostException e) {
            throw reader.wrong(key, "\"" + host + "\" is not a known host");
        }
    }
}
