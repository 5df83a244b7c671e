package io.rocketbufs.web;

import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * A client's request for a page.
 *
 * @param isPost true for the method POST, false for GET and HEAD
 * @param path decoded path, without the query
 * @param query query as received, without the question mark; empty if there is none
 * @param headers the first value of each header, by name; a map that ignores case
 */
public record PageRequest(boolean isPost, String path, String query, Map<String, String> headers) {
    private static final String JSON = "application/json";

    /** Returns the page request for a received HTTP request, or null if its URL is malformed or has no path. */
    public static PageRequest of(HttpRequest received) {
        try {
            URI url = new URI(received.uri());
            if (url.getPath() == null) {
                return null;
            }
            Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
            received.headers().forEach(header -> headers.putIfAbsent(header.getKey(), header.getValue()));
            String query = url.getRawQuery() == null ? "" : url.getRawQuery();
            return new PageRequest(received.method().equals(HttpMethod.POST), url.getPath(), query, headers);
        } catch (URISyntaxException e) {
            return null;
        }
    }

    /**
     * Returns the value of the {@code Host} header: a name or address with an optional port, or an empty string if
     * there is none.
     */
    public String host() {
        return header("Host");
    }

    /** Returns the value of the {@code Authorization} header, or an empty string if there is none. */
    public String authorization() {
        return header("Authorization");
    }

    /**
     * Returns whether the client states that it accepts only JSON. Such a client is a program or a script, and no user
     * sees the response.
     */
    public boolean acceptsOnlyJson() {
        return header("Accept").equals(JSON);
    }

    private String header(String name) {
        return headers.getOrDefault(name, "");
    }

    /** Returns the bearer token that the client presents (RFC 6750), or an empty string if there is none. */
    public String bearerToken() {
        return BearerTokens.presented(authorization());
    }

    /** Returns the user name and password that the client presents (RFC 7617), or null if there are none. */
    public BasicCredentials basicCredentials() {
        return BasicCredentials.presented(authorization());
    }

    /** Returns whether a web page has caused a POST request; see {@link BrowserPolicy#isFromWebPage}. */
    public boolean isFromWebPage() {
        return BrowserPolicy.isFromWebPage(headers.containsKey("Origin"), header("Sec-Fetch-Site"));
    }

    /**
     * Returns whether another site's page has caused the request, including through a link that the user followed.
     * Newer browsers state this on loopback addresses and over TLS.
     */
    public boolean isFromOtherSite() {
        String site = header("Sec-Fetch-Site");
        return site.equals("cross-site") || site.equals("same-site");
    }

    /** Returns whether a browser states that it will show the response as a page. */
    public boolean isNavigation() {
        return header("Sec-Fetch-Mode").equals("navigate");
    }

    /**
     * Returns the decoded parameters of the query, in their original order. A parameter without a value is mapped to an
     * empty string.
     *
     * @throws IllegalArgumentException if a parameter is malformed or repeated; names the parameter
     */
    public Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        for (String part : query.split("&")) {
            if (part.isEmpty()) {
                continue;
            }
            String[] pair = part.split("=", 2);
            String name = decode(pair[0], pair[0]);
            if (parameters.put(name, pair.length == 1 ? "" : decode(pair[0], pair[1])) != null) {
                throw new IllegalArgumentException("parameter \"" + pair[0] + "\" is repeated");
            }
        }
        return parameters;
    }

    private static String decode(String rawName, String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("parameter \"" + rawName + "\" is not encoded as in a URL", e);
        }
    }
}
