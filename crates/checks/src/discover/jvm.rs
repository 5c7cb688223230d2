//! Maven and Gradle projects.

use ox_protocol::{Check, CheckKind};

use super::project::Project;

const GRADLE: [&str; 4] = ["settings.gradle", "settings.gradle.kts", "build.gradle", "build.gradle.kts"];

/// Compiling everything, then the tests. A project's own wrapper comes before an installed program.
pub(super) fn checks(project: &Project<'_>) -> Vec<Check> {
    if project.has("pom.xml") {
        let maven = if project.has("mvnw") { "./mvnw" } else { "mvn" };
        return vec![
            project.check("mvn test-compile", CheckKind::Types, &format!("{maven} -q -B test-compile"), "pom.xml"),
            project.tests(
                "mvn test",
                // With `-q` the output does not count the tests.
                &format!("{maven} -B --fail-at-end test"),
                "pom.xml",
                &format!("{maven} -B test -Dtest=CLASS#METHOD"),
            ),
        ];
    }
    let Some(source) = project.first(&GRADLE) else { return Vec::new() };
    let gradle = if project.has("gradlew") { "./gradlew" } else { "gradle" };
    let plain = "--console=plain -q --continue";
    vec![
        project.check("gradle testClasses", CheckKind::Types, &format!("{gradle} {plain} testClasses"), source),
        project.tests(
            "gradle test",
            &format!("{gradle} {plain} test"),
            source,
            &format!("{gradle} {plain} test --tests CLASS.METHOD"),
        ),
    ]
}
