//! Applying a patch of any format to the project, as one transaction.

use ox_edit::{Format, Request, detect};
use ox_protocol::Problem;
use ox_tools::{EditPlan, ToolError, plan};

use crate::Project;

impl Project {
    /// Makes the changes of a patch, all of them or none; with `dry_run` nothing is written. `path`: the file where the
    /// patch names none. The inner error says why the patch cannot be applied. Problems: `usage.no_patch` where the text is
    /// none, and a project that cannot be opened.
    pub fn apply_patch(
        &self,
        text: &str,
        path: Option<&str>,
        dry_run: bool,
    ) -> Result<Result<EditPlan, ToolError>, Problem> {
        let request = match detect(text) {
            Format::WholeFile | Format::LineRange => None,
            format => Request::of_text(format, path, text),
        };
        let request = request.ok_or_else(|| Problem::new("usage.no_patch"))?;
        let tree = self.tree()?;
        Ok(plan(&tree, None, &request).and_then(|draft| {
            if !dry_run {
                draft.commit(&tree, None)?;
            }
            Ok(draft)
        }))
    }
}
