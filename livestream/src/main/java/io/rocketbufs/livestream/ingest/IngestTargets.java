package io.rocketbufs.livestream.ingest;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.rocketbufs.livestream.IngestSettings;
import io.rocketbufs.livestream.StreamName;
import io.rocketbufs.livestream.relay.RelayStreams;
import io.rocketbufs.web.BasicCredentials;
import io.rocketbufs.web.BrowserPolicy;
import java.util.List;

/**
 * A mapping from a request's path and key to the handler for its body.
 *
 * <p><b>Thread-safety:</b> immutable.
 */
final class IngestTargets {
    private static final String ROOT = "/ingest/";
    private static final String TS = ".ts";
    private static final String PLAYLIST = ".m3u8";
    private static final String BEARER = "Bearer ";

    private final RelayStreams streams;
    private final IngestSettings settings;
    private final Keys keys;

    IngestTargets(RelayStreams streams, IngestSettings settings) {
        this.streams = streams;
        this.settings = settings;
        this.keys = new Keys(settings.keys());
    }

    /**
     * Returns the handler for a request's body, or null if the body is ignored.
     *
     * @param source network address of the source
     * @throws IngestRefusal if the request is not allowed
     */
    Body bodyFor(HttpMethod method, String uri, HttpHeaders headers, String source) {
        QueryStringDecoder decoded = new QueryStringDecoder(uri);
        String path = path(decoded);
        if (!path.startsWith(ROOT)) {
            throw new IngestRefusal(404, "sources push to " + ROOT + "STREAM/FILE or " + ROOT + "STREAM" + TS);
        }
        String[] parts = path.substring(ROOT.length()).split("/", -1);
        boolean isEndless = parts.length == 1;
        if (parts.length > 2 || isEndless && !parts[0].endsWith(TS)) {
            throw new IngestRefusal(404, "sources push to " + ROOT + "STREAM/FILE or " + ROOT + "STREAM" + TS);
        }
        String stream = isEndless ? parts[0].substring(0, parts[0].length() - TS.length()) : parts[0];
        admit(stream, key(decoded, headers));
        if (method.equals(HttpMethod.DELETE)) {
            return null;
        }
        if (!method.equals(HttpMethod.PUT) && !method.equals(HttpMethod.POST)) {
            throw new IngestRefusal(405, "only PUT, POST and DELETE are allowed");
        }
        if (isEndless) {
            return endless(stream, source);
        }
        return parts[1].endsWith(PLAYLIST)
                ? new PlaylistBody(streams, stream, source)
                : new FileBody(new StreamHold(streams, stream, source, parts[1]));
    }

    /** Returns the handler for an endless transport stream. */
    Body endless(String stream, String source) {
        return new EndlessBody(new StreamHold(streams, stream, source, ""), settings.segmentMs());
    }

    /**
     * Checks that a source may send a stream.
     *
     * @throws IngestRefusal if the name is invalid or the source may not send that stream
     */
    void admit(String stream, String key) {
        if (!StreamName.isValid(stream)) {
            throw new IngestRefusal(
                    400, "a stream's name must have 1 to " + StreamName.MAX_LENGTH + " letters, digits, - and _");
        }
        keys.admit(stream, key);
    }

    /**
     * Counts a refusal.
     *
     * @param body handler of the refused body; null if the source itself was refused
     */
    void countRefusal(Body body, IngestRefusal refusal) {
        streams.counters().refusals.increment();
        if (body != null) {
            streams.refused(body.stream(), refusal.status() + " " + refusal.getMessage());
        }
    }

    private static String path(QueryStringDecoder uri) {
        try {
            // Called only to decode the parameters, so that every malformed URL is detected here.
            uri.parameters();
            return uri.path();
        } catch (IllegalArgumentException e) {
            throw new IngestRefusal(400, "malformed URL: " + e.getMessage());
        }
    }

    private static String key(QueryStringDecoder uri, HttpHeaders headers) {
        String authorization = headers.get(HttpHeaderNames.AUTHORIZATION, "");
        if (authorization.startsWith(BEARER)) {
            return authorization.substring(BEARER.length());
        }
        if (BasicCredentials.isPresented(authorization)) {
            refuseWebPage(headers);
            return password(authorization);
        }
        List<String> given = uri.parameters().get("key");
        return given == null ? "" : given.get(0);
    }

    /** Refuses a password that a browser may have added to the request of any web page. */
    private static void refuseWebPage(HttpHeaders headers) {
        if (BrowserPolicy.isFromWebPage(headers.contains(HttpHeaderNames.ORIGIN), headers.get("Sec-Fetch-Site", ""))) {
            throw new IngestRefusal(
                    403,
                    "a web page must present the key as a bearer token or as the parameter key, because browsers add"
                            + " stored passwords to requests made by pages of other sites");
        }
    }

    private static String password(String authorization) {
        BasicCredentials credentials = BasicCredentials.presented(authorization);
        if (credentials == null) {
            throw new IngestRefusal(400, "malformed credentials");
        }
        return credentials.password();
    }
}
