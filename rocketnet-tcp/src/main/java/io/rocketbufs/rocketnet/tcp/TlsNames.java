package io.rocketbufs.rocketnet.tcp;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The host names for which a server's certificate is valid: its subject alternative names.
 *
 * <p><b>Source:</b> RFC 9525. A wildcard matches exactly the first label of a name. The subject's common name is not
 * used.
 */
final class TlsNames {
    private static final int DNS_NAME = 2;
    private static final int IP_ADDRESS = 7;
    /** Limits each number to 255, because Java queries the name service for larger numbers. */
    private static final Pattern IPV4 =
            Pattern.compile("(25[0-5]|2[0-4]\\d|1?\\d?\\d)(\\.(25[0-5]|2[0-4]\\d|1?\\d?\\d)){3}");

    private final List<String> dnsNames = new ArrayList<>();
    private final List<String> addresses = new ArrayList<>();

    private TlsNames() {}

    /** Reads the names in a certificate. The result contains no names if they are malformed. */
    static TlsNames of(X509Certificate certificate) {
        TlsNames names = new TlsNames();
        try {
            Collection<List<?>> all = certificate.getSubjectAlternativeNames();
            if (all != null) {
                all.forEach(names::add);
            }
        } catch (CertificateParsingException e) {
            return new TlsNames();
        }
        return names;
    }

    private void add(List<?> entry) {
        int type = (Integer) entry.get(0);
        if (type == DNS_NAME) {
            dnsNames.add((String) entry.get(1));
        } else if (type == IP_ADDRESS) {
            addresses.add((String) entry.get(1));
        }
    }

    /** Returns whether a host is a numeric address. Never queries the name service. */
    static boolean isAddress(String host) {
        return host.indexOf(':') >= 0 || IPV4.matcher(host).matches();
    }

    /** Returns whether the certificate is valid for a host name or numeric address. */
    boolean include(String host) {
        if (isAddress(host)) {
            InetAddress wanted = address(host);
            return wanted != null && addresses.stream().anyMatch(address -> wanted.equals(address(address)));
        }
        String wanted = canonical(host);
        return dnsNames.stream().anyMatch(name -> matches(canonical(name), wanted));
    }

    private static boolean matches(String pattern, String host) {
        if (!pattern.startsWith("*.")) {
            return pattern.equals(host);
        }
        int dot = host.indexOf('.');
        // A wildcard directly below a top-level domain is refused, because it would match all hosts of that domain.
        return dot > 0 && pattern.indexOf('.', 2) > 0 && pattern.substring(1).equals(host.substring(dot));
    }

    private static String canonical(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
    }

    /** Returns the address, or null if the text is not a numeric address. */
    private static InetAddress address(String text) {
        int zone = text.indexOf('%');
        String bare = zone < 0 ? text : text.substring(0, zone);
        try {
            return isAddress(bare) ? InetAddress.getByName(bare) : null;
        } catch (UnknownHostException e) {
            return null;
        }
    }

    /** Returns all names, for messages. */
    @Override
    public String toString() {
        List<String> all = new ArrayList<>(dnsNames);
        all.addAll(addresses);
        return all.isEmpty() ? "no host" : String.join(", ", all);
    }
}
