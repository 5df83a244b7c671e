package io.rocketbufs.rocketlog.protocol;

/**
 * The broker's refusal of a request. Its text is composed only here, so that no refusal lacks a remedy.
 *
 * @param kind the kind of refusal, for use by programs
 * @param problem names the topic, and the partition if the request is for one, and the reason
 * @param remedy what the client or the operator can do
 */
public record RefusedRequest(LogRefusal kind, String problem, String remedy) {
    /** @throws IllegalArgumentException if the problem or the remedy is blank */
    public RefusedRequest {
        if (problem.isBlank() || remedy.isBlank()) {
            throw new IllegalArgumentException("a refusal needs a reason and a remedy: kind=" + kind + " problem="
                    + problem + " remedy=" + remedy);
        }
    }

    /** Returns the text for people. */
    public String text() {
        return text(problem, remedy);
    }

    /** Returns the text with at most the given number of characters. Shortens the problem, but not the remedy. */
    String text(int longest) {
        int room = Math.max(0, longest - text("", remedy).length());
        return text(problem.length() > room ? problem.substring(0, room) : problem, remedy);
    }

    /** Returns the text for people that consists of a problem and its remedy. */
    static String text(String problem, String remedy) {
        return problem + "; " + remedy;
    }
}
