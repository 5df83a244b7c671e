package io.rocketbufs.web;

import io.rocketbufs.text.PlainText;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * A check of the {@code Host} header of requests that need no token. Another site can give its own name the address of
 * the admin interface (DNS rebinding); a browser would then let the site's pages read the responses. Such a site has a
 * name with a dot.
 *
 * <p><b>Thread-safety:</b> immutable.
 */
public final class HostCheck {
    private final Set<String> ownNames = new HashSet<>();

    /** Creates a check that accepts the given names, addresses, {@code localhost}, and names without a dot. */
    public HostCheck(List<String> ownNames) {
        ownNames.forEach(name -> this.ownNames.add(normal(name)));
    }

    /** Returns true for a host name that another site can have. */
    public boolean isForeign(String host) {
        String name = normal(host.replaceFirst(":[0-9]*$", ""));
        boolean isAddress = name.matches("[0-9.]*|\\[.*]");
        return name.contains(".") && !isAddress && !name.endsWith(".localhost") && !ownNames.contains(name);
    }

    /** Returns a name in lower case, without the dot at its end that marks it as complete. */
    private static String normal(String name) {
        return name.toLowerCase(Locale.ROOT).replaceFirst("\\.$", "");
    }

    /**
     * Returns why a request is refused.
     *
     * @param remedy what the sender or the operator can do, apart from using an address in the URL
     */
    public static String refusal(String host, String remedy) {
        return "host=\"" + PlainText.of(host) + "\" is not a name of this interface, which requires no token, and is"
                + " therefore protected against DNS rebinding: use an address or localhost in the URL, " + remedy;
    }
}
