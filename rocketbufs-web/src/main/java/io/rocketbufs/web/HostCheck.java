package io.rocketbufs.web;

import io.rocketbufs.text.PlainText;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * A check of the {@code Host} header of requests that require no token. Another site can make its own name resolve to
 * the address of the admin interface (DNS rebinding). A browser would then let the site's pages read the responses. The
 * name of another site always contains a dot.
 *
 * <p><b>Thread-safety:</b> immutable.
 */
public final class HostCheck {
    private final Set<String> ownNames = new HashSet<>();

    /** Creates a check that accepts the given names, numeric addresses, {@code localhost}, and names without a dot. */
    public HostCheck(List<String> ownNames) {
        ownNames.forEach(name -> this.ownNames.add(normal(name)));
    }

    /** Returns whether a host name may belong to another site. */
    public boolean isForeign(String host) {
        String name = normal(host.replaceFirst(":[0-9]*$", ""));
        boolean isAddress = name.matches("[0-9.]*|\\[.*]");
        return name.contains(".") && !isAddress && !name.endsWith(".localhost") && !ownNames.contains(name);
    }

    /** Returns a name in lower case, without the trailing dot that marks a fully qualified name. */
    private static String normal(String name) {
        return name.toLowerCase(Locale.ROOT).replaceFirst("\\.$", "");
    }

    /**
     * Returns the text that states why a request is refused.
     *
     * @param remedy action that the sender or the operator can take, apart from using a numeric address in the URL
     */
    public static String refusal(String host, String remedy) {
        return "host=\"" + PlainText.of(host) + "\" is not a name of this interface, which requires no token, and is"
                + " therefore protected against DNS rebinding: use an address or localhost in the URL, " + remedy;
    }
}
